# SPDX-License-Identifier: GPL-3.0-or-later
"""TEMPORARY stand-in for detection kernels."""
import numpy as np
from ...surfaces import layout

class Finder:
    def __init__(self, model):
        self.s = model.surfaces
        start = int(self.s.ints[layout.SURFACE_NUMBERS])
        self.numbers = self.s.numbers[start : start + len(self.s) * layout.NUMBERS].reshape(-1, layout.NUMBERS)
        self.pairs = list(self.s.pairs())
    def find(self, poses, margins):
        s = self.s
        def frame(k):
            b = s.bodies[k]
            if b < 0: return s.E_js[k,:3,:3], s.E_js[k,:3,3]
            R = poses[b,:9].reshape(3,3); p = poses[b,9:]
            return R@s.E_js[k,:3,:3], R@s.E_js[k,:3,3]+p
        out=[]
        for a,b in self.pairs:
            ka,kb=s.kinds[a],s.kinds[b]
            m=margins[a]+margins[b]
            (Ra,pa),(Rb,pb)=frame(a),frame(b)
            na,nb=self.numbers[a],self.numbers[b]
            if ka=="plane" or kb=="plane":
                sign=1.0
                if ka=="plane": R0,p0,R1,p1,num,kind,sign=Ra,pa,Rb,pb,nb,kb,-1.0
                else: R0,p0,R1,p1,num,kind=Rb,pb,Ra,pa,na,ka
                n=R0[:,2]
                if kind=="sphere":
                    r=num[layout.SIZE]; g=(p1-p0)@n-r
                    if g<=m: out.append((a,b,0,p1-n*(r+g/2),sign*n,g))
                else:
                    h=num[layout.SIZE:layout.SIZE+3]
                    for f in range(8):
                        c=p1+R1@(h*np.array([1-2*(f&1),1-(f&2),1-(f&4)/2]))
                        g=(c-p0)@n
                        if g<=m: out.append((a,b,f,c-n*g/2,sign*n,g))
            elif ka==kb=="sphere":
                d=pa-pb; l=np.linalg.norm(d); n=d/l; g=l-na[layout.SIZE]-nb[layout.SIZE]
                if g<=m: out.append((a,b,0,pb+n*(nb[layout.SIZE]+g/2),n,g))
        k=len(out)
        return (np.array([o[:2] for o in out],np.int64).reshape(k,2), np.array([o[2] for o in out],np.int64), np.array([o[3] for o in out]).reshape(k,3), np.array([o[4] for o in out]).reshape(k,3), np.array([o[5] for o in out]).reshape(k))
